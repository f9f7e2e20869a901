import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from './eventually.ts'
import type { Flux, Verdict } from './flux.ts'
import type { Repository } from './repository.ts'

const POLL_MILLISECONDS = 200
const PATIENCE_SECONDS = 240

/** Plays Flux' source-controller for a repository: every commit of its branch becomes an artifact, one after the other. */
export class FluxFollower {
  readonly #repository: Repository
  readonly #flux: Flux
  readonly #folder: string
  readonly #verdicts = new Map<string, Verdict>()
  #isRunning = true
  #failure: unknown
  readonly #turning: Promise<void>

  /** Begins with the newest commit that there is now; commits are unpacked in a folder. */
  constructor(repository: Repository, flux: Flux, folder: string) {
    this.#repository = repository
    this.#flux = flux
    this.#folder = folder
    this.#turning = this.#turn(new Set(repository.revisions().slice(1)))
  }

  /** Waits until Flux has been tried with what is the newest commit now; gives what it says of it. */
  async newest(): Promise<Verdict> {
    const [newest = ''] = this.#repository.revisions()
    const what = `Flux says nothing of ${newest}`
    await eventually(() => this.#failure !== undefined || this.#verdicts.has(newest), PATIENCE_SECONDS, what)
    const verdict = this.#verdicts.get(newest)
    if (verdict === undefined) throw this.#failure
    return verdict
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await this.#turning
  }

  async #turn(published: Set<string>): Promise<void> {
    while (this.#isRunning) {
      try {
        for (const revision of this.#repository.revisions().reverse()) {
          if (published.has(revision) || !this.#isRunning) continue
          published.add(revision)
          this.#verdicts.set(revision, await this.#publish(revision))
        }
      } catch (error) {
        this.#failure = error
      }
      await pause(POLL_MILLISECONDS)
    }
  }

  async #publish(revision: string): Promise<Verdict> {
    const folder = join(this.#folder, revision)
    this.#repository.export(revision, folder)
    const verdict = await this.#flux.publish(folder, revision)
    rmSync(folder, { recursive: true })
    return verdict
  }
}
