// SPDX-License-Identifier: Apache-2.0

extension DateLanguage {
    /// Spanish: days, weekdays, months, clock times, parts of the day, amounts, stretches, periods, plain recurrences.
    public static let spanish: DateLanguage = {
        var table = DateLanguage(code: "es")
        table.minutesFollowHour = true
        table.weak = ["mar"]
        table.add(
            [
                "cero", "uno|una|un", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez",
                "once",
                "doce", "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve", "veinte",
                "veintiuno", "veintidós", "veintitrés", "veinticuatro", "veinticinco", "veintiséis", "veintisiete",
                "veintiocho", "veintinueve", "treinta", "treinta y uno",
            ], from: 0, as: { .number($0) })
        table.add("treinta y cinco", as: .number(35))
        table.add("cuarenta", as: .number(40))
        table.add("cuarenta y cinco", as: .number(45))
        table.add("cincuenta", as: .number(50))
        table.add("cincuenta y cinco", as: .number(55))
        table.add(
            ["primer|primero|primera", "segundo|segunda", "tercer|tercero|tercera", "cuarto", "quinto"],
            as: { .ordinal($0) })
        table.add("último,última", as: .ordinal(-1))
        table.add("º,ª,er", as: .ordinalSuffix)
        table.add("media,medio", as: .half)
        table.add("cuarto", as: .quarter)
        table.add("hoy", as: .day(0, nil))
        table.add("esta noche", as: .day(0, .night))
        table.add("esta tarde", as: .day(0, .afternoon))
        table.add("esta mañana", as: .day(0, .morning))
        table.add("mañana", as: .day(1, nil))
        table.add("pasado mañana", as: .day(2, nil))
        table.add("ayer", as: .day(-1, nil))
        table.add("anteayer", as: .day(-2, nil))
        table.add(
            [
                "lunes|lun", "martes", "miércoles|mié", "jueves|jue", "viernes|vie", "sábado|sáb", "domingo|dom",
            ], as: { .weekday($0) })
        table.add(
            [
                "los lunes", "los martes", "los miércoles", "los jueves", "los viernes", "los sábados", "los domingos",
            ], as: { .everyWeekday($0) })
        table.add(
            [
                "enero|ene", "febrero|feb", "marzo", "abril|abr", "mayo", "junio|jun", "julio|jul", "agosto|ago",
                "septiembre|setiembre|sept", "octubre|oct", "noviembre|nov", "diciembre|dic",
            ], as: { .month($0) })
        table.add("navidad", as: .holiday(12, 25))
        table.add("nochebuena", as: .holiday(12, 24))
        table.add("nochevieja", as: .holiday(12, 31))
        table.add("año nuevo", as: .holiday(1, 1))
        table.add("segundo,segundos", as: .unit(.second))
        table.add("minuto,minutos,min", as: .unit(.minute))
        table.add("hora,horas,h", as: .unit(.hour), .oClock)
        table.add("día,días", as: .unit(.day))
        table.add("día laborable,días laborables", as: .unit(.workday))
        table.add("semana,semanas", as: .unit(.week))
        table.add("fin de semana,fines de semana", as: .unit(.weekend))
        table.add("mes,meses", as: .unit(.month))
        table.add("año,años", as: .unit(.year))
        table.add("de la mañana,por la mañana,por la manana", as: .part(.morning))
        table.add("mediodía,al mediodía", as: .part(.noon))
        table.add("de la tarde,por la tarde", as: .part(.afternoon))
        table.add("de la noche,por la noche", as: .part(.night))
        table.add("medianoche", as: .part(.midnight))
        table.add("este,esta", as: .which(.this))
        table.add("próximo,próxima,próximos,próximas,que viene", as: .which(.next))
        table.add("pasado,pasada", as: .which(.last))
        table.add("fin,finales,a finales,final", as: .edge(.end))
        table.add("principios,a principios,principio", as: .edge(.start))
        table.add("mediados,a mediados", as: .edge(.middle))
        table.add("diariamente,diario,a diario", as: .frequency(1, .day))
        table.add("semanalmente,semanal", as: .frequency(1, .week))
        table.add("mensualmente,mensual", as: .frequency(1, .month))
        table.add("anualmente,anual", as: .frequency(1, .year))
        table.add("en,dentro de", as: .inside, .of)
        table.add("hace", as: .ago)
        table.add("más tarde,después", as: .later)
        table.add("después de,después del", as: .after)
        table.add("antes de,antes del", as: .earlier)
        table.add("de,del", as: .from, .of)
        table.add("desde,desde el,desde las,a partir de,a partir del", as: .from)
        table.add("entre", as: .between)
        table.add("a,al,-", as: .to)
        table.add("hasta,hasta el,hasta las", as: .until, .to)
        table.add("y", as: .and)
        table.add("o", as: .or)
        table.add("durante,por", as: .lasting)
        table.add("menos", as: .before)
        table.add("a las,a la,las,@", as: .at)
        table.add("el,la,los,el día", as: .on)
        table.add("de,del", as: .of)
        table.add("cada,todos los,todas las", as: .every)
        table.add("veces", as: .times)
        table.add("todo el día", as: .allDay)
        table.add("el,la,los,las,a", as: .filler)
        table.add("un,una", as: .article)
        return table
    }()
}
