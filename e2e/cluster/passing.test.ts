/** A drawn day of what passes on the real DaemonSet controller: start-up taints, flapping labels, replacements, a pool at zero, a clock ahead. */
import { passing } from '../support/passing/suites.ts'

await passing({ real: 1, modelled: 10 })
