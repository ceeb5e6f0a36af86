import { readFileSync } from 'node:fs'

export const leak: unknown = readFileSync
