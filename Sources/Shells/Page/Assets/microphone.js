// Runs beside the page: hands on what the microphone brings, and nothing else.
registerProcessor("microphone", class extends AudioWorkletProcessor {
  process(inputs) {
    const samples = inputs[0]?.[0];
    if (samples) this.port.postMessage(samples.slice());
    return true;
  }
});
