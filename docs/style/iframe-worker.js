// A page that is opened from a disk may not start a worker. The search then runs in a hidden frame, which takes and
// sends the same messages. As between a page and a worker, each side gets a copy, and gets it later: the search changes
// what it is given, and would otherwise change what the page shows and asks next.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.onmessage = this.onerror = null
      this.waiting = []
      this.ready = false
      this.listeners = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      this.scope = this.frame.contentWindow
      this.scope.postMessage = data => this.receive(data)
      const script = this.frame.contentDocument.createElement("script")
      script.src = new URL(address, document.baseURI).href
      script.onload = () => {
        this.ready = true
        for (const data of this.waiting.splice(0)) this.deliver(data)
      }
      script.onerror = event => this.onerror && this.onerror(event)
      this.frame.contentDocument.body.append(script)
    }

    postMessage(data) {
      const copy = this.scope.structuredClone(data)
      if (this.ready) this.deliver(copy)
      else this.waiting.push(copy)
    }

    deliver(data) {
      setTimeout(() => this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data })))
    }

    receive(data) {
      const event = new MessageEvent("message", { data: structuredClone(data) })
      setTimeout(() => {
        if (this.onmessage) this.onmessage(event)
        for (const listener of this.listeners) listener(event)
      })
    }

    addEventListener(kind, listener) {
      if (kind === "message") this.listeners.push(listener)
    }

    removeEventListener(kind, listener) {
      this.listeners = this.listeners.filter(each => each !== listener)
    }

    terminate() {
      this.frame.remove()
    }
  }
}
