import { MOST_FRAGMENT, type State, toFragment } from '../link.ts'
import { notify } from './notice.ts'

/** Puts the state into the address and copies it; says so where it is too long, with a way to make it shorter. */
export async function share(state: State, shorten: () => void): Promise<void> {
  const fragment = await toFragment(state)
  if (fragment.length > MOST_FRAGMENT) {
    const words = `The link would have ${fragment.length} characters, and may have ${MOST_FRAGMENT}. A NodeInventory has the nodes that are alike once, and no addresses of nodes.`
    notify(words, { words: 'Make the nodes an inventory', run: shorten })
    return
  }
  history.replaceState(null, '', `#${fragment}`)
  const copied = await copyText(location.href)
  notify(
    `${copied ? 'Copied' : 'The address of this page is now'} a link of ${location.href.length} characters, which holds all three texts. Names of nodes are in it; what follows # is never sent to a server.`,
  )
}

/** Copies a text; false where the browser does not allow that. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
