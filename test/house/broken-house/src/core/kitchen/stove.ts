export const stove: number = 1
