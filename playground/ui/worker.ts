import { shortenedNodes } from '../engine/inventory.ts'
import { renderTexts } from '../engine/render.ts'
import type { Answer, Question } from './messages.ts'

const scope = globalThis as unknown as {
  onmessage: (event: { data: Question }) => void
  postMessage(answer: Answer): void
}

scope.onmessage = ({ data }) => scope.postMessage(answerTo(data))

function answerTo(question: Question): Answer {
  const { id } = question
  try {
    if (question.about === 'shorten') return { id, shortened: shortenedNodes(question.texts, question.labels) }
    const start = performance.now()
    const rendering = renderTexts(question.request)
    return { id, rendering, milliseconds: performance.now() - start }
  } catch (error) {
    // a defect, which must not leave the page waiting
    return { id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
