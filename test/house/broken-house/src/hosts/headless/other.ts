import { adapter } from '../../stores/adapter.ts'
export const other: unknown = adapter
