# SPDX-License-Identifier: Apache-2.0
"""Makes 500 texts of ten languages, the same on every machine: sentences put together of words written for this."""

import random

# For each language: who, does what, to what, and where or when; the order of the parts and what is between and after them.
LANGUAGES = {
    "en": (["My sister", "The old captain", "A careful engineer", "Nobody in the village", "The Minister of Trade"],
           ["repairs", "has forgotten", "would rather sell", "photographs", "is writing about"],
           ["the broken weather station", "a recipe for plum cake", "twelve letters from Lisbon", "the history of bridges"],
           ["before the rain comes", "in a quiet library", "at 7:45 on Monday", "without asking anyone"], " ", "."),
    "de": (["Meine Nachbarin", "Der müde Kapitän", "Eine junge Ärztin", "Das Finanzamt", "Jeder zweite Gärtner"],
           ["prüft", "verkauft", "übersetzt", "vergisst manchmal", "fotografiert"],
           ["die kaputte Wetterstation", "ein Rezept für Pflaumenkuchen", "zwölf Briefe aus Lissabon", "große Straßenkarten"],
           ["bevor es regnet", "in der stillen Bücherei", "um 7:45 Uhr", "ohne jemanden zu fragen"], " ", "."),
    "fr": (["Ma cousine", "Le vieux capitaine", "Une ingénieure prudente", "L'élève distrait", "Personne au village"],
           ["répare", "a oublié", "préfère vendre", "décrit", "n'achète pas"],
           ["la station météo cassée", "une recette de gâteau aux prunes", "douze lettres de Lisbonne", "l'histoire des ponts"],
           ["avant la pluie", "dans une bibliothèque tranquille", "à sept heures et quart", "sans rien demander"], " ", "."),
    "es": (["Mi hermana", "El viejo capitán", "Una ingeniera prudente", "Nadie en el pueblo", "El niño pequeño"],
           ["arregla", "ha olvidado", "quiere vender", "fotografía", "escribe sobre"],
           ["la estación meteorológica rota", "una receta de pastel de ciruelas", "doce cartas de Lisboa", "los puentes"],
           ["antes de la lluvia", "en una biblioteca tranquila", "mañana a las siete", "sin preguntar a nadie"], " ", "."),
    "pl": (["Moja siostra", "Stary kapitan", "Ostrożna inżynierka", "Nikt we wsi", "Minister handlu"],
           ["naprawia", "zapomniał", "chce sprzedać", "fotografuje", "opisuje"],
           ["zepsutą stację pogodową", "przepis na placek ze śliwkami", "dwanaście listów z Lizbony", "historię mostów"],
           ["przed deszczem", "w cichej bibliotece", "o siódmej rano", "nie pytając nikogo"], " ", "."),
    "ru": (["Моя сестра", "Старый капитан", "Осторожный инженер", "Никто в деревне", "Министр торговли"],
           ["чинит", "забыл", "хочет продать", "фотографирует", "описывает"],
           ["сломанную метеостанцию", "рецепт сливового пирога", "двенадцать писем из Лиссабона", "историю мостов"],
           ["перед дождём", "в тихой библиотеке", "в семь часов утра", "никого не спрашивая"], " ", "."),
    "tr": (["Kız kardeşim", "Yaşlı kaptan", "Dikkatli bir mühendis", "Köyde hiç kimse", "Ticaret bakanı"],
           ["yağmurdan önce", "sessiz bir kütüphanede", "sabah yedide", "kimseye sormadan"],
           ["bozuk hava istasyonunu", "erikli kek tarifini", "Lizbon'dan gelen on iki mektubu", "köprülerin tarihini"],
           ["onarıyor", "unuttu", "satmak istiyor", "İstanbul'da anlatıyor"], " ", "."),
    "zh": (["我的姐姐", "老船长", "谨慎的工程师", "村里的人", "贸易部长"], ["下雨之前", "在安静的图书馆里", "早上七点", "没有问任何人就"],
           ["修理", "忘记了", "想卖掉", "描写"], ["坏了的气象站", "李子蛋糕的食谱", "十二封来自里斯本的信", "桥梁的历史"], "", "。"),
    "ja": (["妹は", "年老いた船長は", "慎重な技術者は", "村の人々は", "大臣は"], ["雨が降る前に", "静かな図書館で", "朝七時に", "誰にも聞かずに"],
           ["壊れた気象観測所を", "プラムケーキのレシピを", "リスボンからの手紙を", "橋の歴史を"], ["修理する", "忘れた", "売りたがっている", "書いている"], "", "。"),
    "ar": (["أختي", "القبطان العجوز", "مهندسة حذرة", "وزير التجارة", "جارنا"], ["يصلح", "نسي", "يريد أن يبيع", "يصف"],
           ["محطة الطقس المكسورة", "وصفة كعكة البرقوق", "اثنتي عشرة رسالة من لشبونة", "تاريخ الجسور"],
           ["قبل المطر", "في مكتبة هادئة", "في السابعة صباحًا", "دون أن يسأل أحدًا"], " ", "."),
}  # fmt: skip


def texts(count: int = 50) -> list[str]:
    """`count` texts of one to six sentences in each language, in a random order."""
    rng = random.Random(2026)
    result = []
    for *parts, space, end in LANGUAGES.values():
        for _ in range(count):
            sentences = [space.join(rng.choice(part) for part in parts) + end for _ in range(rng.randint(1, 6))]
            result.append((" " if space else "").join(sentences))
    rng.shuffle(result)
    assert len(set(result)) > len(result) * 0.95
    return result
