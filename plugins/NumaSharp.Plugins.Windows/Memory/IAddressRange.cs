namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>A range that can be found by its address.</summary>
internal interface IAddressRange
{
    nint Start { get; }
}
