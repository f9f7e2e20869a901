const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** Whether a text is a time of RFC 3339. */
export function isTime(text: string): boolean {
  return RFC_3339.test(text) && !Number.isNaN(Date.parse(text))
}

/** A time as the API server writes it back, in UTC and whole seconds (`metav1.Time.MarshalJSON`); finer parts are cut off. Throws `RangeError` for what is no time. */
export function timeText(time: Date | number | string): string {
  return new Date(time).toISOString().replace(/\.[0-9]{3}Z$/, 'Z')
}
