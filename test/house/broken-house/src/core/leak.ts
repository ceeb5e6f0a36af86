import { readFileSync } from 'node:fs'
import { up } from '../runtime/up.ts'
export const leak: unknown = [readFileSync, up]
