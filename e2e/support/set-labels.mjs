#!/usr/bin/env node
/**
 * A function that sets labels as the catalog's set-labels does, which no Go module provides: on the object, and for a
 * DaemonSet in its selector and on its pods. It skips local configuration.
 */
import { edit, runFunction } from '../../dist/krm.js'

const LOCAL = 'config.kubernetes.io/local-config'
const isLocal = ({ metadata }) => !['false', undefined].includes(metadata.annotations?.[LOCAL])

await runFunction((list) => {
  const { labels } = list.functionConfig.object
  const labelled = (metadata = {}) => ({ ...metadata, labels: { ...metadata.labels, ...labels } })
  const change = (object) => {
    const { kind, spec } = object
    const made = { ...object, metadata: labelled(object.metadata) }
    if (kind !== 'DaemonSet') return made
    const selector = { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, ...labels } }
    const template = { ...spec.template, metadata: labelled(spec.template.metadata) }
    return { ...made, spec: { ...spec, selector, template } }
  }
  return { ...list, items: list.items.map((item) => (isLocal(item.object) ? item : edit(item, change))) }
})
