import { byId } from './dom.ts'

/** Connects tabs with their panels, as WAI-ARIA asks: arrows move, one is in the order of the keyboard. */
export function connectTabs(list: HTMLElement): (id: string) => void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')]
  const select = (tab: HTMLElement) => {
    for (const one of tabs) {
      const isSelected = one === tab
      one.setAttribute('aria-selected', String(isSelected))
      one.tabIndex = isSelected ? 0 : -1
      byId(one.getAttribute('aria-controls') ?? '').hidden = !isSelected
    }
  }
  for (const tab of tabs) tab.addEventListener('click', () => select(tab))
  list.addEventListener('keydown', (event) => {
    const at = tabs.indexOf(document.activeElement as HTMLElement)
    const steps: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }
    const to = steps[event.key]
    const tab = to === undefined || at < 0 ? undefined : tabs.at(to % tabs.length)
    if (tab === undefined) return
    event.preventDefault()
    select(tab)
    tab.focus()
  })
  return (id) => select(byId(id))
}
