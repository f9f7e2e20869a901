import { spawn, spawnSync } from 'node:child_process'

const MARK = 'NODEFIT_LOOPBACK'
const UP = 'ip link set lo up && exec "$@"'

/**
 * Goes on with the program of this process in a network that has nothing but loopback: some servers listen on every address, and whatever a test starts reaches
 * nobody. In this process it returns only where there is such a network, or where none can be made, which is said.
 */
export async function onLoopbackOnly(): Promise<void> {
  if (process.env[MARK] !== undefined) return
  for (const flags of ['-n', '-rn']) {
    if (spawnSync('unshare', [flags, 'sh', '-c', UP, 'sh', 'true'], { stdio: 'ignore' }).status !== 0) continue
    const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
    const env = { ...process.env, [MARK]: flags }
    const child = spawn('unshare', [flags, 'sh', '-c', UP, 'sh', ...again], { stdio: 'inherit', env })
    // it ends what it has started
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
    process.exit(await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1))))
  }
  process.stdout.write("no network namespace can be made: the port of Argo CD's metrics is open beyond loopback\n")
}
