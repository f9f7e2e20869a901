/** Three drawn days of what passes on the real DaemonSet controller, and a hundred against the model that they confirm. */
import { passing } from '../support/passing/suites.ts'
import { sampled } from '../support/sampled.ts'

await passing({ real: sampled(3, 0), modelled: sampled(100, 30) })
