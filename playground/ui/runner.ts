import type { Answer, Question } from './messages.ts'

/** A run that holds up newer input is ended after this time. */
const PATIENCE_MILLISECONDS = 1_000
/** Any run is ended after this time. */
const MOST_MILLISECONDS = 60_000

type Asked = Question extends infer One ? (One extends Question ? Omit<One, 'id'> : never) : never

/**
 * Runs renders in a worker, one at a time: of input that arrives meanwhile only the newest is rendered, and an answer about
 * older input is discarded.
 */
export class Runner {
  readonly #source: string
  readonly #onAnswer: (answer: Answer) => void
  readonly #onStopped: () => void
  #worker?: Worker
  #id = 0
  #running?: { readonly id: number; readonly since: number }
  #next?: Question
  #timer?: ReturnType<typeof setTimeout>

  /** `source` is the address of the worker's code; `onStopped` is called when a run took too long. */
  constructor(source: string, onAnswer: (answer: Answer) => void, onStopped: () => void) {
    this.#source = source
    this.#onAnswer = onAnswer
    this.#onStopped = onStopped
  }

  get isBusy(): boolean {
    return this.#running !== undefined
  }

  ask(asked: Asked): void {
    const question = { ...asked, id: ++this.#id } as Question
    if (this.#running === undefined) {
      this.#run(question)
      return
    }
    this.#next = question
    this.#wait(Math.max(0, this.#running.since + PATIENCE_MILLISECONDS - performance.now()))
  }

  #run(question: Question): void {
    this.#next = undefined
    this.#running = { id: question.id, since: performance.now() }
    this.#worker ??= this.#start()
    this.#worker.postMessage(question)
    this.#wait(MOST_MILLISECONDS)
  }

  #start(): Worker {
    const worker = new Worker(this.#source)
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#answered(data)
    return worker
  }

  #answered(answer: Answer): void {
    clearTimeout(this.#timer)
    this.#running = undefined
    if (answer.id === this.#id) this.#onAnswer(answer)
    if (this.#next !== undefined) this.#run(this.#next)
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#stop(), milliseconds)
  }

  #stop(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#running = undefined
    if (this.#next === undefined) this.#onStopped()
    else this.#run(this.#next)
  }
}
