import { runFunction } from './cli/run-function.ts'
import { render } from './render.ts'

void runFunction(render)
