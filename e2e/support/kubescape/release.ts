/** A folder from which commands reach a cluster as a user's shell does: helm, kubectl, kpt, kustomize and nodefit, with homes of their own. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from '../cluster.ts'
import { COMMAND, functionsIn, ROOT, type Run } from '../hosts.ts'
import { PATH } from '../program.ts'
import { type Chart, ownVersion } from './charts.ts'

/** The version that stands on the page. */
const PRINTED_VERSION = '--version 1.40.3'

export class Release {
  readonly folder: string
  /** Blocks of the page that were run, each time. */
  ran = 0
  readonly #env: NodeJS.ProcessEnv
  #chart: Chart

  constructor({ folder }: Cluster, chart: Chart) {
    const bin = functionsIn(folder)
    symlinkSync(COMMAND, join(bin, 'nodefit'))
    this.folder = join(folder, 'work')
    mkdirSync(join(this.folder, 'kubescape'), { recursive: true })
    cpSync(join(ROOT, 'deploy'), join(this.folder, 'deploy'), { recursive: true })
    this.#env = {
      PATH: `${bin}:${PATH}`,
      HOME: join(folder, 'home'),
      KUBECONFIG: join(folder, 'kubeconfig'),
      TMPDIR: folder,
    }
    this.#chart = chart
    this.use(chart)
  }

  /** Has `kubescape/kubescape-operator` be this chart from now on. */
  use(chart: Chart): void {
    const link = join(this.folder, 'kubescape/kubescape-operator')
    rmSync(link, { force: true })
    symlinkSync(chart.folder, link)
    this.#chart = chart
  }

  get chart(): Chart {
    return this.#chart
  }

  /** Runs a text in a shell that ends at the first error, with the version of the chart for the one that is printed. */
  sh(text: string): Promise<Run> {
    const script = text.replaceAll(PRINTED_VERSION, `--version ${ownVersion(this.#chart.version)}`)
    return new Promise((resolve) => {
      const child = spawn('sh', ['-eu', '-c', script], { cwd: this.folder, env: this.#env })
      const parts = { stdout: '', stderr: '' }
      child.stdout.on('data', (part) => {
        parts.stdout += part
      })
      child.stderr.on('data', (part) => {
        parts.stderr += part
      })
      child.stdin.end()
      child.once('close', (status) => resolve({ status, ...parts }))
    })
  }
}
