import { other } from '../headless/other.ts'
export const one: unknown = other
