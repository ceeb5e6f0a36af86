import { stove } from '../kitchen/stove.ts'

export const door: number = stove
