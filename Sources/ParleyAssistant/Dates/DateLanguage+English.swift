// SPDX-License-Identifier: Apache-2.0

extension DateLanguage {
    /// English: the language that is covered best.
    public static let english: DateLanguage = {
        var table = DateLanguage(code: "en")
        table.weak = ["may", "march", "sat", "sun", "mar", "second", "seconds", "spring", "fall", "am"]
        table.add(
            [
                "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
                "twelve",
                "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
            ], from: 0, as: { .number($0) })
        let ones = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
        for (tens, word) in [(20, "twenty"), (30, "thirty"), (40, "forty"), (50, "fifty")] {
            if tens > 20 { table.add(word, as: .number(tens)) }
            table.add(ones.map { "\(word)-\($0)|\(word) \($0)" }, from: tens + 1, as: { .number($0) })
        }
        table.add("sixty", as: .number(60))
        table.add("couple of,a couple of,couple", as: .number(2))
        table.add("a few,few", as: .number(3))
        table.add("a,an", as: .article)
        table.add(
            [
                "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
                "eleventh",
                "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
                "nineteenth",
                "twentieth", "twenty-first|twenty first", "twenty-second|twenty second", "twenty-third|twenty third",
                "twenty-fourth|twenty fourth", "twenty-fifth|twenty fifth", "twenty-sixth|twenty sixth",
                "twenty-seventh|twenty seventh", "twenty-eighth|twenty eighth", "twenty-ninth|twenty ninth",
                "thirtieth",
                "thirty-first|thirty first",
            ], as: { .ordinal($0) })
        table.add("st,nd,rd,th", as: .ordinalSuffix)
        table.add("half", as: .half)
        table.add("quarter", as: .quarter)
        table.add("today", as: .day(0, nil))
        table.add("tonight", as: .day(0, .night))
        table.add("this evening", as: .day(0, .evening))
        table.add("this morning", as: .day(0, .morning))
        table.add("this afternoon", as: .day(0, .afternoon))
        table.add("tomorrow,tmr,tmrw,tomorow,tommorow,tommorrow", as: .day(1, nil))
        table.add("the day after tomorrow,day after tomorrow,overmorrow", as: .day(2, nil))
        table.add("yesterday", as: .day(-1, nil))
        table.add("last night", as: .day(-1, .night))
        table.add("the day before yesterday,day before yesterday", as: .day(-2, nil))
        table.add(
            [
                "monday|mon", "tuesday|tue|tues", "wednesday|wed|weds", "thursday|thu|thur|thurs", "friday|fri",
                "saturday|sat", "sunday|sun",
            ], as: { .weekday($0) })
        table.add(
            ["mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"],
            as: { .everyWeekday($0) })
        table.add(
            [
                "january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun", "july|jul", "august|aug",
                "september|sep|sept", "october|oct", "november|nov", "december|dec",
            ], as: { .month($0) })
        table.add("christmas,christmas day,xmas", as: .holiday(12, 25))
        table.add("christmas eve", as: .holiday(12, 24))
        table.add("boxing day", as: .holiday(12, 26))
        table.add("new year's eve,new years eve", as: .holiday(12, 31))
        table.add("new year's day,new years day,new year's,new year", as: .holiday(1, 1))
        table.add("halloween", as: .holiday(10, 31))
        table.add("valentine's day,valentines day", as: .holiday(2, 14))
        table.add("second,seconds,sec,secs", as: .unit(.second))
        table.add("minute,minutes,min,mins", as: .unit(.minute))
        table.add("hour,hours,hr,hrs,h", as: .unit(.hour))
        table.add("day,days", as: .unit(.day))
        table.add("weekday,weekdays,workday,workdays,working day,working days,business day", as: .unit(.workday))
        table.add("week,weeks", as: .unit(.week))
        table.add("weekend,weekends,week-end", as: .unit(.weekend))
        table.add("month,months", as: .unit(.month))
        table.add("year,years", as: .unit(.year))
        table.add("morning", as: .part(.morning))
        table.add("noon,midday,lunchtime", as: .part(.noon))
        table.add("afternoon", as: .part(.afternoon))
        table.add("evening", as: .part(.evening))
        table.add("night", as: .part(.night))
        table.add("midnight", as: .part(.midnight))
        table.add("mornings", as: .everyPart(.morning))
        table.add("afternoons", as: .everyPart(.afternoon))
        table.add("evenings", as: .everyPart(.evening))
        table.add("nights,nightly", as: .everyPart(.night))
        table.add("am,a.m.,a.m", as: .afternoonMark(false))
        table.add("pm,p.m.,p.m", as: .afternoonMark(true))
        table.add("this", as: .which(.this))
        table.add("this coming,coming", as: .which(.coming))
        table.add("next", as: .which(.next))
        table.add("last,previous,past", as: .which(.last))
        table.add("end,the end,close", as: .edge(.end))
        table.add("start,the start,beginning,the beginning,early", as: .edge(.start))
        table.add("middle,the middle,mid,mid-", as: .edge(.middle))
        table.add("daily", as: .frequency(1, .day))
        table.add("weekdays", as: .frequency(1, .workday))
        table.add("weekends", as: .frequency(1, .weekend))
        table.add("weekly", as: .frequency(1, .week))
        table.add("fortnightly,biweekly,bi-weekly", as: .frequency(2, .week))
        table.add("monthly", as: .frequency(1, .month))
        table.add("quarterly", as: .frequency(3, .month))
        table.add("yearly,annually", as: .frequency(1, .year))
        table.add("in,within", as: .inside, .of)
        table.add("ago", as: .ago)
        table.add("from now,later,hence", as: .later)
        table.add("after,from", as: .after)
        table.add("before", as: .earlier)
        table.add("from,starting", as: .from)
        table.add("between", as: .between)
        table.add("to,through,-,thru", as: .to)
        table.add("until,till,til,up to", as: .until)
        table.add("and,&", as: .and)
        table.add("or", as: .or)
        table.add("for,lasting", as: .lasting)
        table.add("past,after", as: .past)
        table.add("to,before,of,till", as: .before)
        table.add("o'clock,oclock", as: .oClock)
        table.add("at,@,by,around,about", as: .at)
        table.add("on,the,by", as: .on)
        table.add("of,'s", as: .of)
        table.add("every,each", as: .every)
        table.add("other,second", as: .other)
        table.add("times", as: .times)
        table.add("all day,all-day,whole day,the whole day", as: .allDay)
        table.add("at,on,the,in the,at the,during,by,sharp", as: .filler)
        return table
    }()
}
