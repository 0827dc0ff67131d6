// Pages opened from disk may not start a worker, which the search needs. There, a hidden frame does the worker's work.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.onmessage = null;
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      const load = (source) => new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        script.src = new URL(source, document.baseURI).href;
        script.onload = done;
        script.onerror = failed;
        inside.document.head.appendChild(script);
      });
      inside.postMessage = (data) => setTimeout(() => {
        const message = new MessageEvent("message", { data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      });
      inside.importScripts = async (...sources) => { for (const source of sources) await load(source); };
      this.ready = load(address).then(() => inside);
      this.frame = frame;
    }
    postMessage(data) {
      this.ready.then((inside) => {
        const message = new inside.MessageEvent("message", { data });
        inside.dispatchEvent(message);
        if (typeof inside.onmessage === "function") inside.onmessage(message);
      });
    }
    terminate() { this.frame.remove(); }
  };
}
