/** Returns the element of the page with an id. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found as Kind
}

/** Returns the text of a block of data in the page. */
export function dataIn(id: string): string {
  return byId(id).textContent ?? ''
}
