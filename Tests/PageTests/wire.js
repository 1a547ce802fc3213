// SPDX-License-Identifier: Apache-2.0
// Stands in for the network of a page under test: every state of the server on demand, and no clock. The test sets what
// the server says and pushes events; the page's own code is what runs.
(() => {
    const wire = {
        state: null, // what /app/v1/state answers
        states: {}, // by chat
        earlier: [], // answers of /app/v1/messages, in order
        answers: {}, // by type of wish; {error: …, status: …} refuses
        wishes: [],
        requests: [],
        sounds: [], // what was recorded
        streams: [],
        isOffline: false,
        key: null,
        holds: [], // types of wishes whose answers wait for release()
        held: [],
    };
    const json = (value, status = 200) => new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json" } });
    const refuse = (status, message, code = null) => json({ error: { message, type: "error", param: null, code } }, status);
    const real = window.fetch.bind(window);

    wire.release = () => wire.held.splice(0).forEach((go) => go());
    wire.push = (type, data) => {
        const stream = wire.streams.at(-1);
        if (wire.state) wire.state.revision += 1;
        const value = { revision: wire.state?.revision ?? 1, ...data };
        stream?.send(`id: ${wire.state.epoch}.${value.revision}\nevent: ${type}\ndata: ${JSON.stringify(value)}\n\n`);
    };
    wire.drop = () => wire.streams.splice(0).forEach((stream) => stream.fail());

    function openStream(signal) {
        let controller;
        const body = new ReadableStream({ start: (value) => (controller = value) });
        const encoder = new TextEncoder();
        const stream = {
            send: (text) => controller.enqueue(encoder.encode(text)),
            fail: () => controller.error(new TypeError("network error")),
        };
        signal?.addEventListener("abort", () => {
            wire.streams = wire.streams.filter((other) => other !== stream);
            try { controller.error(new DOMException("aborted", "AbortError")); } catch { /* it had ended */ }
        });
        wire.streams.push(stream);
        return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    }

    async function answer(url, options) {
        const path = url.pathname.replace("/app/v1/", "");
        wire.requests.push(`${options.method ?? "GET"} ${path}${url.search}`);
        if (wire.isOffline) throw new TypeError("Failed to fetch");
        if (wire.key !== null && options.headers.get("Authorization") !== `Bearer ${wire.key}`) return refuse(401, "The key is wrong.");
        if (path === "state") {
            const chat = url.searchParams.get("chat");
            if (chat && wire.states[chat]) wire.state = wire.states[chat];
            return wire.state ? json(wire.state) : refuse(503, "The server is starting.");
        }
        if (path === "events") return openStream(options.signal);
        if (path === "messages") return json(wire.earlier.shift() ?? { messages: [], earlier: 0 });
        if (path === "intents") {
            const wish = JSON.parse(options.body);
            wire.wishes.push(wish);
            if (wire.holds.includes(wish.type)) await new Promise((go) => wire.held.push(go));
            const told = wire.answers[wish.type] ?? {};
            return told.error ? refuse(told.status ?? 400, told.error, told.code) : json({ ok: true, ...told });
        }
        if (path === "attachments") {
            const name = url.searchParams.get("name");
            const told = wire.answers.attachments ?? { attachment: { id: `a-${name}`, name, kind: "document", size: options.body?.size ?? 0, tokens: 12, cut: null } };
            return told.error ? refuse(told.status ?? 400, told.error, told.code) : json(told);
        }
        if (path.startsWith("attachments/")) {
            const canvas = document.createElement("canvas");
            canvas.width = 240;
            canvas.height = 160;
            const context = canvas.getContext("2d");
            context.fillStyle = "#5a8f83";
            context.fillRect(0, 0, 240, 160);
            return new Response(await new Promise((done) => canvas.toBlob(done)));
        }
        if (path === "export") return new Response("# exported");
        if (path === "import") return json({ chats: 2, known: 0, ...wire.answers.import });
        if (path === "transcribe") {
            wire.sounds.push([...new Uint8Array(await options.body.arrayBuffer())]);
            if (wire.holds.includes(path)) await new Promise((go) => wire.held.push(go));
            const told = wire.answers.transcribe ?? { error: "No model for speech.", status: 404, code: "model_not_found" };
            return told.error ? refuse(told.status ?? 400, told.error, told.code) : json(told);
        }
        return refuse(404, "There is no such address.");
    }

    window.fetch = (input, options = {}) => {
        const url = new URL(input, location.href);
        if (!url.pathname.startsWith("/app/v1/")) return real(input, options);
        return new Promise((resolve, reject) => {
            options.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
            answer(url, options).then(resolve, reject);
        });
    };
    window.wire = wire;
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
})();
