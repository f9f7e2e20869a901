export { reportPage } from './report-page.ts'
export { scanPage } from './scan-page.ts'
