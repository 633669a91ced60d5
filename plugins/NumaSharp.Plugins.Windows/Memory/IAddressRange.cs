namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>Something with an address, to be found by it.</summary>
internal interface IAddressRange
{
    nint Start { get; }
}
