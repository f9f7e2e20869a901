/** What a node is sized by. */
export type Resource = 'cpu' | 'memory'

/** The four amounts of a pod, as the fields of their percentages are called. */
export type PercentageName = 'requestCPU' | 'requestMemory' | 'limitCPU' | 'limitMemory'
