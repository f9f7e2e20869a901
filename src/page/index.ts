export { reportPage } from './report-page.ts'
