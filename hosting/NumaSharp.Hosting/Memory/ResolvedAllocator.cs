using NumaSharp.Core;

namespace NumaSharp.Hosting.Registration;

/// <summary>The allocator if it has been resolved; reading metrics must not create it.</summary>
internal sealed class ResolvedAllocator
{
    private NumaAllocator? _value;

    public NumaAllocator? Value
    {
        get => Volatile.Read(ref _value);
        set => Volatile.Write(ref _value, value);
    }
}
