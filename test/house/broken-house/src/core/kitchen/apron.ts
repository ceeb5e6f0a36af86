import { coat } from '../hall/coat.ts'

export const apron: number = coat
