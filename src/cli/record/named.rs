//! Fields that a format names itself: an enum of them, and the names that one types.

/// Makes the enum of a format's fields, in the order in which they stand in a line.
macro_rules! named_fields {
    ($(#[$doc:meta])* $fields:ident { $($field:ident: $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $fields {
            $($field,)+
        }

        impl $fields {
            /// All of them, in the order in which they stand in a line.
            pub const ALL: [$fields; [$($name,)+].len()] = [$($fields::$field,)+];

            /// The field of this name.
            pub fn from_name(name: &str) -> Option<$fields> {
                match name {
                    $($name => Some($fields::$field),)+
                    _ => None,
                }
            }

            /// Its name, as one types it.
            pub fn name(self) -> &'static str {
                match self {
                    $($fields::$field => $name,)+
                }
            }
        }
    };
}

pub(crate) use named_fields;

#[cfg(test)]
mod tests {
    use super::super::access_log::AccessField;
    use super::super::cri::CriField;
    use super::super::klog::KlogField;
    use super::super::syslog::SyslogField;

    #[test]
    fn every_name_names_its_field_and_no_other_does() {
        macro_rules! check {
            ($($fields:ident and not $other:literal),+) => {$(
                for field in $fields::ALL {
                    assert_eq!($fields::from_name(field.name()), Some(field));
                }
                assert_eq!($fields::from_name($other), None);
            )+};
        }
        check!(AccessField and not "IP", CriField and not "Time", KlogField and not "pid", SyslogField and not "tag");
    }
}
