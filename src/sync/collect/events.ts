import type { Collector } from './collector.ts'
import { type KeptEvent, keptEvent } from './event.ts'
import { foldEvents } from './fold-events.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'
import type { Watch, Watched } from './source.ts'

/** Warnings about our own objects. They are news and no state: they ask for no evaluation, and the next one sees them. */
export function eventsCollector(watch: Watch, daemonSets: Watched<OwnDaemonSet>): Collector {
  const events = watch<KeptEvent>({
    path: '/api/v1/events',
    resource: 'events',
    query: { fieldSelector: 'type=Warning' },
    trim: keptEvent,
    onChange: () => {},
  })
  const isSynced = () => events.isSynced && daemonSets.isSynced
  return {
    name: 'events',
    start: (signal) => events.start(signal),
    get isSynced() {
      return isSynced()
    },
    part: () => (isSynced() ? { events: foldEvents(events.items().values(), daemonSets.items().values()) } : {}),
  }
}
