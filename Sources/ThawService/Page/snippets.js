"use strict";

/// How programs use the service, with the address and the models of this one.
function snippetsFor(model) {
    const base = location.href.replace(/[?#].*$/, "").replace(/\/$/, "");
    const needsToken = service.token !== "";
    const { host, protocol } = new URL(base);
    const name = model.name;
    const curlToken = needsToken ? ` \\\n    -H "Authorization: Bearer $TOKEN"` : "";
    const pythonToken = needsToken ? `,\n    headers={"Authorization": f"Bearer {token}"}` : "";
    const image = model.inputs?.[0]?.name ?? "image";
    const list = [
        ["curl", `curl "${base}/classify?model=${name}&top=5"${curlToken} \\\n    --data-binary @photo.jpg -H "Content-Type: image/jpeg"`],
        ["curl, many photos", `curl "${base}/classify?model=${name}"${curlToken} \\\n    -F file=@one.jpg -F file=@two.jpg`],
        ["Python", `import requests\n\nwith open("photo.jpg", "rb") as photo:\n    answer = requests.post(\n        "${base}/classify", params={"model": "${name}", "top": 5}, data=photo${pythonToken.replace("\n", "\n    ")})\nfor guess in answer.json()["predictions"]:\n    print(f"{guess['probability']:.4f}  {guess['label']}")`],
        ["Python, Open Inference Protocol", `import numpy\nimport tritonclient.http as http\n\nclient = http.InferenceServerClient("${host}"${protocol === "https:" ? ", ssl=True" : ""})\nwith open("photo.jpg", "rb") as photo:\n    images = numpy.array([photo.read()], dtype=object)\nimage = http.InferInput("${image}", images.shape, "BYTES")\nimage.set_data_from_numpy(images)\noutput = http.InferRequestedOutput("${model.outputs?.[0]?.name ?? "output"}", class_count=5)\nresult = client.infer("${name}", [image], outputs=[output]${needsToken ? ",\n    headers={\"Authorization\": f\"Bearer {token}\"}" : ""})\nprint(result.as_numpy("${model.outputs?.[0]?.name ?? "output"}"))`],
    ];
    return list.map(([title, text]) => {
        const code = make("pre", { textContent: text, tabIndex: 0 });
        return make("section", { className: "snippet" }, make("div", { className: "caption" }, make("h3", { textContent: title }), copyButton(() => text, code)), code);
    });
}

async function showSnippets() {
    const name = chosen()[0] ?? service.models[0]?.name;
    const answer = await request(`models/${encodeURIComponent(name)}`);
    const model = answer.ok ? await answer.json() : { name };
    const more = make("p", { className: "note" }, "Everything else is described in ", make("a", { href: "openapi.json", textContent: "openapi.json" }), "; figures for Prometheus are at ", make("a", { href: "metrics", textContent: "metrics" }), ".");
    openDialog(byId("snippets"), "Use the API", make("div", { className: "content" }, ...snippetsFor(model), more));
}

byId("show-snippets").addEventListener("click", showSnippets);
