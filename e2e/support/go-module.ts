import { join } from 'node:path'
import { ROOT, run } from './hosts.ts'

/** The folder of a Go module that a module of tools/hosts requires, as Go has it. */
export function goModule(host: string, path: string): string {
  const cwd = join(ROOT, 'tools/hosts', host)
  const { status, stdout, stderr } = run('go', ['mod', 'download', '-json', path], { cwd })
  if (status !== 0) throw new Error(stderr)
  return (JSON.parse(stdout) as { Dir: string }).Dir
}
