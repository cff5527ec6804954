/** Milliseconds of processor time that this process has used: unlike the clock it does not run faster on a busy machine. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
