using System.Buffers;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>An owner as an element of an array: storing a struct needs no check of the array's type.</summary>
internal readonly record struct RentedBlock(IMemoryOwner<byte> Owner);
