import { up } from '../runtime/up.ts'
export const wait: unknown = up
