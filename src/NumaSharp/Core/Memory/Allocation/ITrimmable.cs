namespace NumaSharp.Core.Memory.Allocation;

/// <summary>Keeps free memory that it can give back to the system.</summary>
internal interface ITrimmable
{
    /// <summary>Gives back what was not used since the last call.</summary>
    void TrimIdle();
}
