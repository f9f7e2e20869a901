import { spawnSync } from 'node:child_process'

/** Runs a program whose stderr is a terminal of its own, and says what was shown there and how the program ended. */
const ON_TERMINAL = `
import fcntl, json, os, pty, select, struct, subprocess, sys, termios, time
job = json.load(sys.stdin)
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, job['columns'], 0, 0))
env = {key: value for key, value in os.environ.items() if key not in ('NO_COLOR', 'FORCE_COLOR')}
env.update(job['env'])
with open(job['stdout'], 'wb') as out:
    child = subprocess.Popen(job['command'], stdin=subprocess.PIPE, stdout=out, stderr=slave, env=env)
os.close(slave)
def give():
    child.stdin.write(job['input'].encode())
    child.stdin.close()
awaited = job['awaited'].encode()
if not awaited:
    give()
shown = b''
while True:
    try:
        piece = os.read(master, 65536)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if awaited and awaited in shown:
        awaited = b''
        give()
json.dump({'status': child.wait(), 'shown': shown.decode()}, sys.stdout)
`

/** Types into a shell on a terminal, piece by piece, and gives all that was shown; a busy machine only makes it slower. */
const IN_SHELL = `
import json, os, pty, re, select, sys, time
job = json.load(sys.stdin)
pid, master = pty.fork()
if pid == 0:
    os.chdir(job['cwd'])
    os.execvpe(job['command'][0], job['command'], {**os.environ, 'TERM': 'xterm', 'PS1': '> '})
shown = b''
start = 0
def awaited(text):
    global shown, start
    end = time.time() + job['patience']
    while time.time() < end:
        at = shown.find(text.encode(), start)
        if at >= 0:
            start = at + len(text)
            return True
        if select.select([master], [], [], 0.05)[0]:
            try:
                shown += os.read(master, 65536)
            except OSError:
                return False
    return False
for line, there in job['steps']:
    os.write(master, line.encode())
    if not awaited(there):
        break
os.kill(pid, 9)
os.waitpid(pid, 0)
json.dump({'shown': shown.decode(errors='replace')}, sys.stdout)
`

/** What a program shows on its stderr, a terminal; its stdout goes to a file. It has its input once `awaited` was shown. */
export function onTerminal(
  command: readonly string[],
  options: { stdout: string; env?: Record<string, string>; input?: string; awaited?: string; columns?: number },
): { status: number; shown: string } {
  const { env = {}, input = '', awaited = '', columns = 200, stdout } = options
  return python(ON_TERMINAL, { command, stdout, env: { TERM: 'xterm', ...env }, input, awaited, columns })
}

/**
 * What an interactive shell shows while somebody types these pieces, each once what the one before it leads to is there. It ends with
 * the first that leads to something else, after `patience` seconds.
 */
export function inShell(
  command: readonly string[],
  steps: ReadonlyArray<readonly [typed: string, shown: string]>,
  cwd: string,
  patience = 60,
): string {
  return python<{ shown: string }>(IN_SHELL, { command, steps, cwd, patience }).shown
}

function python<T>(script: string, job: object): T {
  const { stdout, stderr } = spawnSync('python3', ['-c', script], { input: JSON.stringify(job), encoding: 'utf8' })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as T
}
