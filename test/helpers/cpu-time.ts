/**
 * Returns the milliseconds of processor time that this process has used. Unlike the clock, they do not depend much on how busy
 * the machine is.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
