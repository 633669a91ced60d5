namespace NumaSharp.Core.Memory.Allocation;

/// <summary>Does something whenever an <see cref="IntervalTimer"/> ticks.</summary>
internal interface ITimed
{
    void OnTick();
}
