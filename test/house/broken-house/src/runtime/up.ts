import { adapter } from '../stores/adapter.ts'
export const up: unknown = adapter
