/** How a quantity was written, and so how it is printed. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'
