import type { Changes } from '../engine/change-policy.ts'
import type { Controls } from '../engine/controls.ts'
import { byId } from './dom.ts'

const PERCENTAGES = ['requestCPU', 'requestMemory', 'limitCPU', 'limitMemory'] as const
const RESOURCES = ['cpu', 'memory'] as const
const SIDES = ['least', 'most'] as const
/** Where a slider ends, unless the percentage is larger. */
const USUAL_MOST = 20
const OTHER = ''

/** Connects the sliders and fields with the policy. */
export function connectControls(onChange: (changes: Changes) => void): void {
  const label = byId<HTMLSelectElement>('label')
  label.addEventListener('change', () => {
    if (label.value !== OTHER) onChange({ label: label.value })
  })
  for (const name of PERCENTAGES) {
    const [slider, field] = fieldsOf(name)
    const changeTo = (text: string) => {
      const percent = text.trim() === '' ? null : Number(text)
      if (percent !== null && !(percent >= 0 && percent <= 100)) return
      onChange({ percentages: withPartner(name, percent === 0 ? null : percent) })
    }
    slider.addEventListener('input', () => {
      field.value = slider.value === '0' ? '' : slider.value
      changeTo(field.value)
    })
    field.addEventListener('change', () => changeTo(field.value))
  }
  for (const side of SIDES)
    for (const resource of RESOURCES) {
      const field = byId<HTMLInputElement>(`${side}-${resource}`)
      field.addEventListener('change', () => onChange({ [side]: { [resource]: field.value.trim() } }))
    }
}

/** A request is never above its limit: whichever is moved takes the other one along. */
function withPartner(name: (typeof PERCENTAGES)[number], percent: number | null): Changes['percentages'] {
  const isLimit = name.startsWith('limit')
  const partner = (isLimit ? name.replace('limit', 'request') : name.replace('request', 'limit')) as typeof name
  const { value } = fieldsOf(partner)[1]
  const isCrossed = percent !== null && value !== '' && (isLimit ? Number(value) > percent : Number(value) < percent)
  return { [name]: percent, ...(isCrossed ? { [partner]: percent } : {}) }
}

/** Shows what the policy says; a field that is being used is left alone. */
export function showControls({ hasPolicy, label, grouping, labels, percentages, ...bounds }: Controls): void {
  byId<HTMLFieldSetElement>('controls').disabled = !hasPolicy && labels.length === 0
  showLabels(byId<HTMLSelectElement>('label'), { label, grouping, labels })
  for (const name of PERCENTAGES) {
    const [slider, field] = fieldsOf(name)
    const percent = percentages[name] ?? undefined
    const most = percent !== undefined && percent > USUAL_MOST ? 100 : USUAL_MOST
    if (document.activeElement !== slider) {
      slider.max = String(most)
      slider.value = String(percent ?? 0)
    }
    slider.setAttribute('aria-valuetext', percent === undefined ? 'none' : `${percent} %`)
    if (document.activeElement !== field) field.value = percent === undefined ? '' : String(percent)
  }
  for (const side of SIDES)
    for (const resource of RESOURCES) {
      const field = byId<HTMLInputElement>(`${side}-${resource}`)
      if (document.activeElement !== field) field.value = bounds[side][resource]
      const reached = bounds.reached[side][resource]
      byId(`${side}-${resource}-reached`).textContent =
        reached === 0 ? '' : `${side === 'least' ? 'lifts' : 'caps'} ${reached} group${reached === 1 ? '' : 's'}`
    }
}

function fieldsOf(name: string): [slider: HTMLInputElement, field: HTMLInputElement] {
  return [byId<HTMLInputElement>(`${name}-slider`), byId<HTMLInputElement>(name)]
}

function showLabels(select: HTMLSelectElement, shown: Pick<Controls, 'label' | 'grouping' | 'labels'>): void {
  const { label, grouping, labels } = shown
  const isMissing = label !== undefined && !labels.some(({ key }) => key === label)
  const options = [
    ...(grouping === undefined ? [] : [{ value: OTHER, text: grouping }]),
    ...(isMissing ? [{ value: label, text: `${label} (on no node)` }] : []),
    ...labels.map(({ key, values }) => ({ value: key, text: `${key} (${values} value${values === 1 ? '' : 's'})` })),
  ]
  const now = [...select.options].map(({ value, text }) => `${value} ${text}`).join('\n')
  if (now !== options.map(({ value, text }) => `${value} ${text}`).join('\n'))
    select.replaceChildren(...options.map(({ value, text }) => new Option(text, value)))
  select.value = grouping === undefined ? (label ?? OTHER) : OTHER
}
