// A control loop at 50 Hz by timeouts, with the rest of a millisecond spent waiting actively.
const begun = process.hrtime.bigint();
let k = 0, state = 0;
function tick() {
  for (let i = 0; i < 200000; i++) state = 0.999 * state + Math.sin(i);
  k += 1;
  if (k > 50) {
    console.log(Number(process.hrtime.bigint() - begun) * 1e-9, 1.0);
    return;
  }
  const due = begun + BigInt(k) * 20000000n;
  const left = Number(due - process.hrtime.bigint()) * 1e-6;
  setTimeout(() => {
    while (process.hrtime.bigint() < due);
    tick();
  }, Math.max(0, Math.floor(left)));
}
tick();
