import { word } from '../other/word.ts'

export const echo: number = word
