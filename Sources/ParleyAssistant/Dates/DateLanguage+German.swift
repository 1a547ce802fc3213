// SPDX-License-Identifier: Apache-2.0

extension DateLanguage {
    /// German: days, weekdays, months, clock times, parts of the day, amounts, stretches, periods, plain recurrences.
    public static let german: DateLanguage = {
        var table = DateLanguage(code: "de")
        table.minutesFollowHour = true
        table.pointMakesOrdinal = true
        table.weak = ["so", "do", "mi", "fr", "morgen", "mal", "die", "am"]
        table.capitalised = ["so"]
        table.add(
            [
                "null", "eins|ein|eine|einen|einer|einem", "zwei|zwo", "drei", "vier", "fünf|fuenf", "sechs", "sieben",
                "acht", "neun", "zehn", "elf", "zwölf|zwoelf", "dreizehn", "vierzehn", "fünfzehn|fuenfzehn", "sechzehn",
                "siebzehn", "achtzehn", "neunzehn", "zwanzig",
            ], from: 0, as: { .number($0) })
        let ones = ["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
        for (tens, word) in [(20, "zwanzig"), (30, "dreißig"), (40, "vierzig"), (50, "fünfzig")] {
            if tens > 20 { table.add(word, as: .number(tens)) }
            table.add(ones.map { "\($0)und\(word)" }, from: tens + 1, as: { .number($0) })
        }
        table.add(
            [
                "erste|ersten|erster", "zweite|zweiten|zweiter", "dritte|dritten|dritter", "vierte|vierten",
                "fünfte|fünften", "sechste|sechsten", "siebte|siebten", "achte|achten", "neunte|neunten",
                "zehnte|zehnten", "elfte|elften", "zwölfte|zwölften",
            ], as: { .ordinal($0) })
        table.add(
            ["dreizehnte", "vierzehnte", "fünfzehnte", "sechzehnte", "siebzehnte", "achtzehnte", "neunzehnte"].map {
                "\($0)|\($0)n"
            }, from: 13, as: { .ordinal($0) })
        for (tens, word) in [(20, "zwanzigste"), (30, "dreißigste")] {
            let words = [word] + ones.map { "\($0)und\(word)" }
            table.add(words.map { "\($0)|\($0)n" }, from: tens, as: { .ordinal($0) })
        }
        table.add("letzter,letzten", as: .ordinal(-1))
        table.add("halbe,halben,halbes", as: .half)
        table.add("halb", as: .halfTo)
        table.add("viertel", as: .quarter)
        table.add("heute", as: .day(0, nil))
        table.add("heute abend", as: .day(0, .evening))
        table.add("heute nacht", as: .day(0, .night))
        table.add("heute morgen,heute früh", as: .day(0, .morning))
        table.add("heute nachmittag", as: .day(0, .afternoon))
        table.add("morgen", as: .day(1, nil), .part(.morning))
        table.add("morgen früh,morgen vormittag", as: .day(1, .morning))
        table.add("übermorgen,uebermorgen", as: .day(2, nil))
        table.add("gestern", as: .day(-1, nil))
        table.add("vorgestern", as: .day(-2, nil))
        table.add(
            [
                "montag|mo", "dienstag|di", "mittwoch|mi", "donnerstag|do", "freitag|fr", "samstag|sonnabend|sa",
                "sonntag|so",
            ], as: { .weekday($0) })
        table.add(
            ["montags", "dienstags", "mittwochs", "donnerstags", "freitags", "samstags", "sonntags"],
            as: { .everyWeekday($0) })
        table.add(
            [
                "januar|jänner|jan", "februar|feb", "märz|maerz|mrz", "april|apr", "mai", "juni|jun", "juli|jul",
                "august|aug", "september|sep|sept", "oktober|okt", "november|nov", "dezember|dez",
            ], as: { .month($0) })
        table.add("weihnachten", as: .holiday(12, 25))
        table.add("heiligabend", as: .holiday(12, 24))
        table.add("silvester", as: .holiday(12, 31))
        table.add("neujahr", as: .holiday(1, 1))
        table.add("sekunde,sekunden", as: .unit(.second))
        table.add("minute,minuten,min", as: .unit(.minute))
        table.add("stunde,stunden,std", as: .unit(.hour))
        table.add("tag,tage,tagen,tages", as: .unit(.day))
        table.add(
            "werktag,werktage,werktagen,wochentag,wochentage,wochentagen,arbeitstag,arbeitstage,arbeitstagen",
            as: .unit(.workday))
        table.add("woche,wochen", as: .unit(.week))
        table.add("wochenende,wochenendes", as: .unit(.weekend))
        table.add("monat,monate,monaten,monats", as: .unit(.month))
        table.add("jahr,jahre,jahren,jahres", as: .unit(.year))
        table.add("früh,morgens,vormittags,am morgen,am vormittag,vormittag", as: .part(.morning))
        table.add("mittag,mittags,zu mittag,am mittag", as: .part(.noon))
        table.add("nachmittag,nachmittags,am nachmittag", as: .part(.afternoon))
        table.add("abend,abends,am abend", as: .part(.evening))
        table.add("nacht,nachts,in der nacht", as: .part(.night))
        table.add("mitternacht", as: .part(.midnight))
        table.add("diese,diesen,dieser,dieses,diesem", as: .which(.this))
        table.add("kommende,kommenden,kommender,kommendes,kommendem", as: .which(.coming))
        table.add("nächste,nächsten,nächster,nächstes,nächstem", as: .which(.next))
        table.add("übernächste,übernächsten,übernächster,übernächstes,übernächstem", as: .which(.afterNext))
        table.add("letzte,letzten,letzter,letztes,vorige,vorigen,vergangene,vergangenen", as: .which(.last))
        table.add("ende", as: .edge(.end))
        table.add("anfang,beginn", as: .edge(.start))
        table.add("mitte", as: .edge(.middle))
        table.add("täglich", as: .frequency(1, .day))
        table.add("werktags,wochentags", as: .frequency(1, .workday))
        table.add("wöchentlich", as: .frequency(1, .week))
        table.add("monatlich", as: .frequency(1, .month))
        table.add("vierteljährlich", as: .frequency(3, .month))
        table.add("halbjährlich", as: .frequency(6, .month))
        table.add("jährlich", as: .frequency(1, .year))
        table.add("in,im,innerhalb von", as: .inside, .of)
        table.add("vor", as: .ago, .before, .earlier)
        table.add("später", as: .later)
        table.add("nach", as: .after, .past)
        table.add("von,vom,ab", as: .from)
        table.add("zwischen", as: .between)
        table.add("bis,-", as: .to, .until)
        table.add("bis zum,bis zu", as: .to, .until)
        table.add("und", as: .and)
        table.add("oder", as: .or)
        table.add("für", as: .lasting)
        table.add("uhr,h", as: .oClock)
        table.add("um,gegen,@", as: .at)
        table.add("am,den,dem,der,das,die", as: .on)
        table.add("des,der,im,vom,von,in", as: .of)
        table.add("jede,jeden,jeder,jedes,jedem,alle", as: .every)
        table.add("zweite,zweiten", as: .other)
        table.add("mal", as: .times)
        table.add("ganztägig,den ganzen tag,ganzer tag", as: .allDay)
        table.add("am,um,der,den,das,im,in der,zum", as: .filler)
        table.add("ein,eine,einen,einer,einem", as: .article)
        return table
    }()
}
