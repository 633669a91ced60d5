using NumaSharp.Core;

namespace NumaSharp.Hosting.Registration;

/// <summary>The allocator of the container once somebody has asked for it: who only looks makes none.</summary>
internal sealed class MadeAllocator
{
    private NumaAllocator? _value;

    public NumaAllocator? Value
    {
        get => Volatile.Read(ref _value);
        set => Volatile.Write(ref _value, value);
    }
}
