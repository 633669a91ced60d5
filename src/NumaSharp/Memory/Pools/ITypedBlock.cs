namespace NumaSharp.Core.Memory;

/// <summary>
/// A face of a <see cref="NumaMemoryBlock"/> as elements of some type. A block has one for each type that it was rented as.
/// </summary>
internal interface ITypedBlock
{
    /// <summary>The same block's face of another type.</summary>
    ITypedBlock? Next { get; }
}
