// SPDX-License-Identifier: Apache-2.0

extension DateLanguage {
    /// French: days, weekdays, months, clock times, parts of the day, amounts, stretches, periods, plain recurrences.
    public static let french: DateLanguage = {
        var table = DateLanguage(code: "fr")
        table.minutesFollowHour = true
        table.weak = ["mar", "sept", "a", "on", "dim"]
        table.add(
            [
                "zéro", "un|une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze",
                "douze",
                "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf", "vingt", "vingt et un",
                "vingt-deux", "vingt-trois", "vingt-quatre", "vingt-cinq", "vingt-six", "vingt-sept", "vingt-huit",
                "vingt-neuf", "trente", "trente et un",
            ], from: 0, as: { .number($0) })
        table.add("quarante", as: .number(40))
        table.add("quarante-cinq", as: .number(45))
        table.add("cinquante", as: .number(50))
        table.add("trente-cinq", as: .number(35))
        table.add("cinquante-cinq", as: .number(55))
        table.add(
            ["premier|première", "deuxième|second|seconde", "troisième", "quatrième", "cinquième"], as: { .ordinal($0) }
        )
        table.add("dernier,dernière", as: .ordinal(-1), .which(.last))
        table.add("er,ère,e,ème", as: .ordinalSuffix)
        table.add("demi,demie", as: .half)
        table.add("quart", as: .quarter)
        table.add("aujourd'hui", as: .day(0, nil))
        table.add("ce soir", as: .day(0, .evening))
        table.add("ce matin", as: .day(0, .morning))
        table.add("cet après-midi,cet après midi", as: .day(0, .afternoon))
        table.add("cette nuit", as: .day(0, .night))
        table.add("demain", as: .day(1, nil))
        table.add("après-demain,après demain", as: .day(2, nil))
        table.add("hier", as: .day(-1, nil))
        table.add("avant-hier", as: .day(-2, nil))
        table.add(
            [
                "lundi|lun", "mardi|mar", "mercredi|mer", "jeudi|jeu", "vendredi|ven", "samedi|sam", "dimanche|dim",
            ], as: { .weekday($0) })
        table.add(
            ["lundis", "mardis", "mercredis", "jeudis", "vendredis", "samedis", "dimanches"], as: { .everyWeekday($0) })
        table.add(
            [
                "janvier|janv", "février|fév|févr", "mars", "avril|avr", "mai", "juin", "juillet|juil", "août",
                "septembre|sept", "octobre|oct", "novembre|nov", "décembre|déc",
            ], as: { .month($0) })
        table.add("noël", as: .holiday(12, 25))
        table.add("la saint-sylvestre,le réveillon du nouvel an", as: .holiday(12, 31))
        table.add("le jour de l'an,nouvel an", as: .holiday(1, 1))
        table.add("seconde,secondes", as: .unit(.second))
        table.add("minute,minutes,min", as: .unit(.minute))
        table.add("heure,heures,h", as: .unit(.hour), .oClock)
        table.add("jour,jours", as: .unit(.day))
        table.add("jour ouvrable,jours ouvrables", as: .unit(.workday))
        table.add("semaine,semaines", as: .unit(.week))
        table.add("week-end,weekend,week-ends", as: .unit(.weekend))
        table.add("mois", as: .unit(.month))
        table.add("an,ans,année,années", as: .unit(.year))
        table.add("matin,du matin,le matin", as: .part(.morning))
        table.add("midi", as: .part(.noon))
        table.add("après-midi,après midi,de l'après-midi,l'après-midi", as: .part(.afternoon))
        table.add("soir,du soir,le soir", as: .part(.evening))
        table.add("nuit,de la nuit,la nuit", as: .part(.night))
        table.add("minuit", as: .part(.midnight))
        table.add("ce,cet,cette", as: .which(.this))
        table.add("prochain,prochaine,prochains,prochaines", as: .which(.next))
        table.add("dernier,dernière,passé,passée", as: .which(.last))
        table.add("fin,la fin", as: .edge(.end))
        table.add("début,le début", as: .edge(.start))
        table.add("milieu,mi,mi-", as: .edge(.middle))
        table.add("quotidien,quotidiennement", as: .frequency(1, .day))
        table.add("hebdomadaire", as: .frequency(1, .week))
        table.add("mensuel,mensuellement", as: .frequency(1, .month))
        table.add("annuel,annuellement", as: .frequency(1, .year))
        table.add("dans", as: .inside)
        table.add("en", as: .of)
        table.add("il y a", as: .ago)
        table.add("plus tard", as: .later)
        table.add("après", as: .after)
        table.add("avant", as: .earlier)
        table.add("de,du,d'", as: .from, .of)
        table.add("à partir de,à partir du", as: .from)
        table.add("entre", as: .between)
        table.add("à,au,-", as: .to)
        table.add("jusqu'à,jusqu'au,jusqu'en", as: .until)
        table.add("et", as: .and)
        table.add("ou", as: .or)
        table.add("pendant,pour,durant", as: .lasting)
        table.add("moins", as: .before)
        table.add("à,vers,@", as: .at)
        table.add("le,la", as: .on)
        table.add("du,de,de la,de l',d',des", as: .of)
        table.add("chaque,tous les,toutes les", as: .every)
        table.add("fois", as: .times)
        table.add("toute la journée", as: .allDay)
        table.add("le,la,au,du,à", as: .filler)
        table.add("un,une", as: .article)
        return table
    }()
}
