import { other } from '../headless/other.ts'
export const told: unknown = other
