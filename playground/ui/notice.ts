import { byId } from './dom.ts'

/** Says something above the editors, with what can be done about it. */
export function notify(text: string, action?: { readonly words: string; readonly run: () => void }): void {
  const notice = byId('notice')
  const words = document.createElement('span')
  words.textContent = text
  const buttons = action === undefined ? [] : [buttonOf(action.words, action.run)]
  notice.replaceChildren(
    words,
    ...buttons,
    buttonOf('Close', () => undefined),
  )
  notice.hidden = false
}

/** Takes away what was said. */
export function quiet(): void {
  byId('notice').hidden = true
}

function buttonOf(words: string, run: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = words
  button.addEventListener('click', () => {
    quiet()
    run()
  })
  return button
}
