// A planner in a worker thread; the event loop sleeps until its result arrives.
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');

if (!isMainThread) {
  let found = 0;
  for (let n = 2; n < workerData; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) { prime = false; break; }
    if (prime) found++;
  }
  parentPort.postMessage(found);
} else {
  const before = process.cpuUsage(), begun = process.hrtime.bigint();
  const planner = new Worker(__filename, { workerData: 2000000 });
  planner.on('message', () => {});
  planner.on('exit', () => {
    const elapsed = Number(process.hrtime.bigint() - begun) * 1e-9, used = process.cpuUsage(before);
    console.log(elapsed, (used.user + used.system) * 1e-6);
  });
}
