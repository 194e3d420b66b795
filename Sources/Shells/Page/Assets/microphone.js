// Runs beside the page and passes on the sound of the microphone.
registerProcessor("microphone", class extends AudioWorkletProcessor {
  process(inputs) {
    const samples = inputs[0]?.[0];
    if (samples) this.port.postMessage(samples.slice());
    return true;
  }
});
